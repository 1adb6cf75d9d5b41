import { exitCodes } from './exit-codes.ts'

/** From now on an interruption tidies up and ends the process at once, until it is `over`. */
export function onInterrupt(cleanUp: () => void): { remove(): void } {
  const onSignal = () => {
    cleanUp()
    process.exit(exitCodes.interrupted)
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return {
    remove() {
      process.off('SIGINT', onSignal)
      process.off('SIGTERM', onSignal)
    },
  }
}
