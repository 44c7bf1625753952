enum SyncingEmpty {}
