const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const timeLength = 10
const randomLength = 16
const runIdPattern = /^run_[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/** Returns a new run id, `run_` and a ULID. Ids sort by creation time. */
export function createRunId(now: Date, randomBytes: (size: number) => Uint8Array): string {
  const random = Array.from(randomBytes(randomLength), (byte) => alphabet[byte % alphabet.length]).join('')
  return `run_${timeText(now.getTime())}${random}`
}

/** Whether a text has the format of a run id. */
export function isRunId(text: string): boolean {
  return runIdPattern.test(text)
}

function timeText(ms: number): string {
  let rest = ms
  let text = ''
  for (let i = 0; i < timeLength; i++) {
    text = alphabet[rest % alphabet.length]! + text
    rest = Math.floor(rest / alphabet.length)
  }
  return text
}
