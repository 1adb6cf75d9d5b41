import type { Log } from '../log.ts'

const wordsMax_characters = 100

/** Logs what the protocol refused, by its kind: what follows the colon may be what was sent. */
export function refusedTo(log: Log): (error: Error) => void {
  return ({ message }) => log.info('mcp_refused', { message: message.split(':')[0]!.slice(0, wordsMax_characters) })
}
