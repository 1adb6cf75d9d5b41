import { openWindow } from './window.ts'

/** Calls beyond those that were asked for, as a share of these within a minute. */
export type Allowance = {
  called(): void
  /** Whether one more is allowed now; if so it is spent. */
  take(): boolean
}

/** `least`: so many are allowed even when there were few calls. */
export function openAllowance(share: number, least: number, monotonic_ms: () => number): Allowance {
  const window = openWindow<'call' | 'extra'>(monotonic_ms)
  return {
    called: () => window.add('call'),
    take() {
      if (window.count('extra') + 1 > Math.max(least, share * window.count('call'))) return false
      window.add('extra')
      return true
    },
  }
}
