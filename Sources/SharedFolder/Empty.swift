enum SharedFolderEmpty {}
