enum FeedSyncEmpty {}
