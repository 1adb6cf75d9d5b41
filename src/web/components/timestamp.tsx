const shortFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const longFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const relativeFormat = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const relativeUnits = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/**
 * A timestamp in the locale and time zone of the browser. With `isRelative` it shows the time elapsed, and the full
 * time as a tooltip.
 */
export function Timestamp({ at, isRelative = false }: { at: string; isRelative?: boolean }) {
  const time = new Date(at)
  return (
    <time dateTime={at} title={longFormat.format(time)}>
      {isRelative ? relativeText(time) : shortFormat.format(time)}
    </time>
  )
}

function relativeText(time: Date): string {
  const elapsed_s = (Date.now() - time.getTime()) / 1000
  const unit = relativeUnits.find(([, seconds]) => Math.abs(elapsed_s) >= seconds)
  return unit ? relativeFormat.format(-Math.round(elapsed_s / unit[1]), unit[0]) : relativeFormat.format(0, 'second')
}
