import type { Log } from '../log.ts'

const messageMax_characters = 100

/** Logs protocol errors without the text after the colon, which may contain what the client sent. */
export function logProtocolErrors(log: Log): (error: Error) => void {
  return ({ message }) =>
    log.info('mcp_protocol_error', { message: message.split(':')[0]!.slice(0, messageMax_characters) })
}
