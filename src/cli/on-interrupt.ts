import { exits } from './exits.ts'

/** From now on an interruption tidies up and ends the process at once, until it is `over`. */
export function onInterrupt(tidy: () => void): { over(): void } {
  const stop = () => {
    tidy()
    process.exit(exits.interrupted)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return {
    over() {
      process.off('SIGINT', stop)
      process.off('SIGTERM', stop)
    },
  }
}
