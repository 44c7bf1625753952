enum FolderWatchingEmpty {}
