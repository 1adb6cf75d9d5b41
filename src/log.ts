/** JSON lines on stderr. What is logged carries names and numbers, never a token, a key or an address. */
export type Log = {
  info(event: string, details?: Record<string, unknown>): void
  error(event: string, details?: Record<string, unknown>): void
}

/** The log of the house: every request is a line of it at the level `debug`. `debug` is null when such lines are not wanted, so that none is made. */
export type AppLog = Log & { debug: Log['info'] | null }

export const logLevels = ['error', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

export function createLog(level: LogLevel, write: (line: string) => void): AppLog {
  const logAt =
    (at: LogLevel) =>
    (event: string, details: Record<string, unknown> = {}) => {
      if (logLevels.indexOf(at) > logLevels.indexOf(level)) return
      write(serializeLine({ at: new Date().toISOString(), level: at, event }, details))
    }
  return { info: logAt('info'), error: logAt('error'), debug: level === 'debug' ? logAt('debug') : null }
}

/** The same log, where each line carries the id of the request that it is written for, if there is one. */
export function withRequestId(request_id: () => string | undefined, log: AppLog): AppLog {
  const withId =
    (write: Log['info']): Log['info'] =>
    (event, details) => {
      const id = request_id()
      write(event, id === undefined ? details : { request_id: id, ...details })
    }
  return { info: withId(log.info), error: withId(log.error), debug: log.debug && withId(log.debug) }
}

/** What cannot be written as JSON is named, and the line is written all the same: nothing fails for want of a line. */
function serializeLine(line: Record<string, string>, details: Record<string, unknown>): string {
  try {
    return JSON.stringify({ ...line, ...details }, errorToJson)
  } catch (error) {
    return JSON.stringify({ ...line, unserializable: Object.keys(details), reason: (error as Error).message })
  }
}

function errorToJson(_key: string, value: unknown): unknown {
  return value instanceof Error
    ? { name: value.name, message: value.message, stack: value.stack, cause: value.cause }
    : value
}
