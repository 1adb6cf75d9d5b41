import { exitCodes } from './exit-codes.ts'

/** On SIGINT or SIGTERM, calls `cleanUp` and exits with 130. `remove` restores the default behavior. */
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
