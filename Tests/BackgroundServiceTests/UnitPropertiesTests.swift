import BackgroundService
import Testing

@Suite("What systemctl says") struct UnitPropertiesTests {
  @Test("of a unit that runs")
  func running() {
    let found = UnitProperties(
      parsing: """
        Result=success
        MainPID=4711
        NRestarts=2
        ExecMainStatus=0
        LoadState=loaded
        ActiveState=active
        SubState=running
        FragmentPath=/home/a=b/.config/systemd/user/x.service
        """)
    #expect(found.isLoaded && found.isRunning && !found.isWaitingToRestart)
    #expect(found.process == 4711)
    #expect(found.restarts == 2)
    #expect(found.file == "/home/a=b/.config/systemd/user/x.service")
  }

  @Test("of one that waits to be started again")
  func waiting() {
    let found = UnitProperties(
      parsing: "MainPID=0\nActiveState=activating\nSubState=auto-restart\nExecMainStatus=66\n")
    #expect(found.isWaitingToRestart && !found.isRunning)
    #expect(found.process == nil)
    #expect(found.exitStatus == 66)
  }

  @Test("of one that there is not, and in words that nobody knows")
  func unknown() {
    let missing = UnitProperties(parsing: "LoadState=not-found\nActiveState=inactive\n")
    #expect(!missing.isLoaded && !missing.isRunning && missing.file == "")
    #expect(UnitProperties(parsing: "\n=\nx\nMainPID=y").process == nil)
  }
}
