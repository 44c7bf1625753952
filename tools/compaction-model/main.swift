import Foundation

let command = Command(Array(CommandLine.arguments.dropFirst()))
exit(command.run())
