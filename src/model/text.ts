/**
 * Returns an integer with a comma between thousands. `toLocaleString` loads all of `Intl` for its first number, which
 * a start of the service would wait for.
 */
export function groupThousands(integer: number): string {
  return String(integer).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** Returns a count with its noun: `1 run`, `2 runs`, `0 addresses`. */
export function pluralize(count: number, noun: string): string {
  const plural = noun.endsWith('s') ? `${noun}es` : `${noun}s`
  return `${groupThousands(count)} ${count === 1 ? noun : plural}`
}

/** Returns the names of a comma-separated list, without spaces and empty names. */
export function splitNames(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** Whether a text has more code points than this. Takes no longer for a text of a megabyte than for a short one. */
export function hasMoreCodePoints(text: string, max: number): boolean {
  // A code point has at most two UTF-16 units.
  return text.length > 2 * max || (text.length > max && [...text].length > max)
}

/** The longest address that is answered. */
export const addressMax_characters = 256

/** Matches control, bidirectional and zero-width characters. */
export const invisibleCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

/**
 * A text on one line: the lines of an address, as in the cell of a spreadsheet, are joined by commas. Without the
 * look-behind, a long run of blanks would be read again from each of them.
 */
export function joinLines(text: string): string {
  return text.includes('\n') ? text.trim().replace(/(?<![\s,])[\s,]*\n\s*/g, ', ') : text
}

/** A duration such as `40 s`, `12 min` or `3.5 h`. */
export function formatDuration(seconds: number): string {
  if (seconds < 100) return `${Math.ceil(seconds)} s`
  return seconds < 6_000 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`
}

/** Returns a size as text: `1.5 MB`. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

const meters = { m: 1, km: 1000, mi: 1609.344 } as const

/** Returns the meters of a text such as `500m`, `5km` or `3mi`; null for another text, and for a length of zero. */
export function parseLength_m(text: string): number | null {
  const [, number, unit] = /^(\d+(?:\.\d+)?) ?(m|km|mi)$/.exec(text.trim().toLowerCase()) ?? []
  const length_m = Number(number) * (meters[unit as keyof typeof meters] ?? NaN)
  return length_m > 0 ? length_m : null
}

/** Formats a time as the API does: ISO 8601 in UTC with the offset `+00:00`, never `Z`. */
export function formatTimestamp(time: Date | number): string {
  return `${new Date(time).toISOString().slice(0, -1)}+00:00`
}

/** Formats a time as `formatTimestamp` does; null if there is none. */
export function formatTimestampOrNull(time: Date | number | null): string | null {
  return time === null ? null : formatTimestamp(time)
}

/** Returns why a file or a folder cannot be read or written, without a full stop: `it does not exist`. */
export function fileErrorText(error: unknown): string {
  const { code, message } = error as Error & { code?: string }
  return fileErrorTexts[code ?? ''] ?? message
}

const fileErrorTexts: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
}
