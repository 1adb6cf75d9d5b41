/** The hours of each day in which data may be copied, in the time zone of this machine. */
export type CopyHours = { from: TimeOfDay; to: TimeOfDay }

type TimeOfDay = { hour: number; minute: number }

/** Parses hours such as `22:00-06:00`, which can include midnight. Returns null if the text is not valid. */
export function parseCopyHours(text: string): CopyHours | null {
  const times = /^(\d{1,2}):(\d{2})-(\d{1,2}):(\d{2})$/.exec(text.trim())?.slice(1).map(Number)
  if (!times) return null
  const [from, to] = [
    { hour: times[0]!, minute: times[1]! },
    { hour: times[2]!, minute: times[3]! },
  ]
  const isValid = [from, to].every(({ hour, minute }) => hour < 24 && minute < 60)
  return isValid && minutesOf(from) !== minutesOf(to) ? { from, to } : null
}

/** Returns when the hours begin next; null if `now` is within them. */
export function nextStartOf({ from, to }: CopyHours, now: Date): Date | null {
  const minutes = minutesOf({ hour: now.getHours(), minute: now.getMinutes() })
  const [first, last] = [minutesOf(from), minutesOf(to)]
  const isWithin = first < last ? minutes >= first && minutes < last : minutes >= first || minutes < last
  if (isWithin) return null
  const start = new Date(now)
  start.setHours(from.hour, from.minute, 0, 0)
  // A day can have 23 or 25 hours, so the calendar counts the next day.
  if (start <= now) start.setDate(start.getDate() + 1)
  return start
}

/** The clock and the timer of the caller, and a function that receives the end of each pause. */
export type CopyHoursOptions = {
  now: () => Date
  wait: (ms: number) => Promise<void>
  onPause: (until: Date) => void
}

/**
 * Returns a function that waits until the hours begin, and resolves at once within them. Several calls can wait at the
 * same time: the pause is reported once.
 */
export function createCopyHoursWait(hours: CopyHours, { now, wait, onPause }: CopyHoursOptions) {
  let reported_ms = NaN
  return async (signal: AbortSignal): Promise<void> => {
    for (let start = nextStartOf(hours, now()); start !== null; start = nextStartOf(hours, now())) {
      if (start.getTime() !== reported_ms) onPause(start)
      reported_ms = start.getTime()
      // The clock is read often, because the machine can sleep meanwhile.
      await wait(Math.min(start.getTime() - now().getTime(), maxWait_ms))
      signal.throwIfAborted()
    }
  }
}

const maxWait_ms = 60_000

function minutesOf({ hour, minute }: TimeOfDay): number {
  return 60 * hour + minute
}
