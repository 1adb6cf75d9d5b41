/** JSON lines on stderr. What is logged carries names and numbers, never a token, a key or an address. */
export type Log = { info(event: string, about?: Record<string, unknown>): void; error(event: string, about?: Record<string, unknown>): void }

/** The log of the house: every request is a line of it at the level `debug`. `debug` is null when such lines are not wanted, so that none is made. */
export type HouseLog = Log & { debug: Log['info'] | null }

export const logLevels = ['error', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

export function openLog(level: LogLevel, write: (line: string) => void): HouseLog {
  const say = (at: LogLevel) => (event: string, about: Record<string, unknown> = {}) => {
    if (logLevels.indexOf(at) > logLevels.indexOf(level)) return
    write(lineOf({ at: new Date().toISOString(), level: at, event }, about))
  }
  return { info: say('info'), error: say('error'), debug: level === 'debug' ? say('debug') : null }
}

/** The same log, where each line carries the id of the request that it is written for, if there is one. */
export function toldFor(request_id: () => string | undefined, log: HouseLog): HouseLog {
  const named = (say: Log['info']): Log['info'] => (event, about) => {
    const id = request_id()
    say(event, id === undefined ? about : { request_id: id, ...about })
  }
  return { info: named(log.info), error: named(log.error), debug: log.debug && named(log.debug) }
}

/** What cannot be written as JSON is named, and the line is written all the same: nothing fails for want of a line. */
function lineOf(line: Record<string, string>, about: Record<string, unknown>): string {
  try {
    return JSON.stringify({ ...line, ...about }, plainError)
  } catch (error) {
    return JSON.stringify({ ...line, unwritten: Object.keys(about), why: (error as Error).message })
  }
}

function plainError(_key: string, value: unknown): unknown {
  return value instanceof Error ? { name: value.name, message: value.message, stack: value.stack, cause: value.cause } : value
}
