/** Writes JSON lines to stderr. Details are names and numbers, never a token, a key or an address. */
export type Log = {
  info(event: string, details?: Record<string, unknown>): void
  error(event: string, details?: Record<string, unknown>): void
}

/** The log of the app. `debug` (one line per request) is null below level `debug`, so that no line is built in vain. */
export type AppLog = Log & { debug: Log['info'] | null }

/** The values of FIELDSTONE_LOG, from quiet to verbose. */
export const logLevels = ['error', 'info', 'debug'] as const
/** One value of FIELDSTONE_LOG. */
export type LogLevel = (typeof logLevels)[number]

/**
 * Creates a log that passes each line of at most the given level to `write`. `process`: the number of one of several
 * processes, which each of its lines has.
 */
export function createLog(level: LogLevel, write: (line: string) => void, process?: number): AppLog {
  const logAt =
    (at: LogLevel) =>
    (event: string, details: Record<string, unknown> = {}) => {
      if (logLevels.indexOf(at) > logLevels.indexOf(level)) return
      const line = { at: new Date().toISOString(), level: at, event, ...(process !== undefined && { process }) }
      write(serializeLine(line, details))
    }
  return { info: logAt('info'), error: logAt('error'), debug: level === 'debug' ? logAt('debug') : null }
}

/** Returns a log that adds the id of the current request, if any, to each line. */
export function withRequestId(request_id: () => string | undefined, log: AppLog): AppLog {
  const withId =
    (write: Log['info']): Log['info'] =>
    (event, details) => {
      const id = request_id()
      write(event, id === undefined ? details : { request_id: id, ...details })
    }
  return { info: withId(log.info), error: withId(log.error), debug: log.debug && withId(log.debug) }
}

/** Serializes a line. Details that are not JSON are listed by name instead, because logging must never throw. */
function serializeLine(line: Record<string, string | number>, details: Record<string, unknown>): string {
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
