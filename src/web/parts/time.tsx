const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const steps = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** A time of the wire, in the zone and the manner of who reads it. `isAgo`: how long ago it is, with the time beneath the pointer. */
export function Time({ at, isAgo = false }: { at: string; isAgo?: boolean }) {
  const time = new Date(at)
  return (
    <time dateTime={at} title={exact.format(time)}>
      {isAgo ? agoOf(time) : whole.format(time)}
    </time>
  )
}

function agoOf(time: Date): string {
  const past_s = (Date.now() - time.getTime()) / 1000
  const step = steps.find(([, seconds]) => Math.abs(past_s) >= seconds)
  return step ? relative.format(-Math.round(past_s / step[1]), step[0]) : relative.format(0, 'second')
}
