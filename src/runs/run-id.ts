const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const timeLength = 10
const randomLength = 16
const runIdPattern = /^run_[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/** A new run id: `run_` and a ULID, so that ids sort by the time they were made. */
export function createRunId(now: Date, randomBytes: (size: number) => Uint8Array): string {
  const random = Array.from(randomBytes(randomLength), (byte) => alphabet[byte % alphabet.length]).join('')
  return `run_${timeText(now.getTime())}${random}`
}

/** Whether a text has the form of a run id. Says nothing about whether there is such a run. */
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
