/** JSON lines on stderr. What is logged carries names and numbers, never a token, a key or an address. */
export type Log = { info(event: string, about?: Record<string, unknown>): void; error(event: string, about?: Record<string, unknown>): void }

const levels = ['error', 'info'] as const
export type LogLevel = (typeof levels)[number]

export function openLog(level: LogLevel, write: (line: string) => void): Log {
  const say = (at: LogLevel) => (event: string, about: Record<string, unknown> = {}) => {
    if (levels.indexOf(at) > levels.indexOf(level)) return
    write(JSON.stringify({ at: new Date().toISOString(), level: at, event, ...about }, plainError))
  }
  return { info: say('info'), error: say('error') }
}

function plainError(_key: string, value: unknown): unknown {
  return value instanceof Error ? { name: value.name, message: value.message, stack: value.stack, cause: value.cause } : value
}
