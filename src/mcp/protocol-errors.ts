import type { Log } from '../log.ts'

const messageMax_characters = 100

/** Logs what the protocol refused, by its kind: what follows the colon may be what was sent. */
export function logProtocolErrors(log: Log): (error: Error) => void {
  return ({ message }) =>
    log.info('mcp_protocol_error', { message: message.split(':')[0]!.slice(0, messageMax_characters) })
}
