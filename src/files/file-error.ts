import { isRecord, parseJson } from '../model/record.ts'

/** A file cannot be used. The message tells the operator what was found and what was expected. */
export class FileError extends Error {
  /** The same file may become usable, for example when a lock ends. */
  readonly retryable: boolean

  constructor(message: string, { retryable = false, ...options }: ErrorOptions & { retryable?: boolean } = {}) {
    super(message, options)
    this.retryable = retryable
  }
}

/** Parses a JSON object. `name` names the file in an error. */
export function parseJsonObject(text: string, name: string): Record<string, unknown> {
  const value = parseJson(
    text,
    (cause) => new FileError(`${name} is not valid JSON: ${(cause as Error).message}.`, { cause }),
  )
  if (!isRecord(value)) throw new FileError(`${name} must contain a JSON object.`)
  return value
}

/** Whether the operating system reported that a disk is full. */
export function isDiskFullError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}
