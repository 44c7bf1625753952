import Testing

@testable import FeedFetching

@Suite struct StoragePolicyTests {
  private func mayStore(_ type: String?, _ bytes: Int, _ policy: StoragePolicy = StoragePolicy())
    -> Bool
  {
    policy.mayStore(MediaType(type), bytes: bytes, directives: CacheDirectives())
  }

  @Test func feedsAndPagesAndSmallPicturesAreKept() {
    #expect(mayStore("application/rss+xml; charset=utf-8", 1 << 20))
    #expect(mayStore("Text/HTML", 1 << 20))
    #expect(mayStore("image/png", 10_000))
    #expect(!mayStore("image/png", 1 << 19))
    #expect(!mayStore("text/html", 1 << 26))
    #expect(!mayStore("application/zip", 10))
    #expect(!mayStore(nil, 10))
  }

  @Test func theTypesAreConfiguredTheMostExactFirst() {
    var policy = StoragePolicy()
    policy.limits["image/*"] = 0
    policy.limits["image/svg+xml"] = 100
    policy.limits["*/*"] = 50
    #expect(!mayStore("image/png", 10, policy))
    #expect(mayStore("image/svg+xml", 100, policy))
    #expect(mayStore("application/zip", 50, policy))
    #expect(!mayStore("application/zip", 51, policy))
  }

  @Test(arguments: ["audio/mpeg", "video/mp4", "image/tiff", "application/octet-stream", nil])
  func largeMediaAreNeverKeptWhateverIsConfigured(type: String?) {
    var policy = StoragePolicy()
    policy.limits = ["*/*": .max, "audio/*": .max, "video/mp4": .max]
    #expect(mayStore(type, StoragePolicy.largeMediaBytes - 1, policy))
    #expect(!mayStore(type, StoragePolicy.largeMediaBytes, policy))
  }

  @Test func whatTheServerForbidsIsNotKept() {
    var directives = CacheDirectives()
    directives.mayBeStored = false
    #expect(!StoragePolicy().mayStore(MediaType("text/xml"), bytes: 1, directives: directives))
  }
}
