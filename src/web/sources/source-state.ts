import type { SourceStatus } from '../../catalog/meta-documents.ts'

/**
 * The state of a dataset: it answers, it was not used since the start, its last call failed, or nothing on this server
 * can read it.
 */
export const sourceStates = ['ready', 'waiting', 'failing', 'off'] as const
export type SourceState = (typeof sourceStates)[number]

/** The first available option decides, as in /readyz. */
export function sourceStateOf({ drivers, unavailable_reason, failing, last_success }: SourceStatus): SourceState {
  if (unavailable_reason !== null) return 'off'
  const first = drivers.find(({ available }) => available)
  if (first && isLocal(first.driver)) return 'ready'
  if (failing !== null) return 'failing'
  return last_success === null ? 'waiting' : 'ready'
}

export const sourceStateBadges: Record<SourceState, { word: string; kind: 'ok' | 'absent' | 'failed' | 'busy' }> = {
  ready: { word: 'ready', kind: 'ok' },
  waiting: { word: 'not used yet', kind: 'absent' },
  failing: { word: 'failing', kind: 'failed' },
  off: { word: 'off', kind: 'absent' },
}

/** Returns a short label of a driver. */
export function driverLabel(driver: string): string {
  return driverLabels[driver] ?? 'network'
}

/** Returns the label of a driver, with its name when the label is generic. */
export function driverDescription(driver: string): string {
  return driverLabels[driver] ?? `network (${driver})`
}

const driverLabels: Record<string, string> = {
  embedded: 'built in',
  pack: 'pack',
  computed: 'computed',
  table: 'downloaded table',
  geojson_file: 'downloaded file',
}

/** Whether an option reads from the publisher, who fails at the moment. */
export function isFailing({ failing }: Pick<SourceStatus, 'failing'>, { driver }: { driver: string }): boolean {
  return failing !== null && !isLocal(driver)
}

function isLocal(driver: string): boolean {
  return ['embedded', 'pack', 'computed'].includes(driver)
}
