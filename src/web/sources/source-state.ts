import type { SourceState, SourceStatus } from '../../catalog/meta-documents.ts'

/** The first available option decides, as in /readyz. */
export function sourceStateOf({ drivers }: SourceStatus): SourceState {
  return drivers.find(({ available }) => available)?.state ?? 'off'
}

export const sourceStateBadges: Record<SourceState, { word: string; kind: 'ok' | 'absent' | 'failed' | 'busy' }> = {
  ready: { word: 'ready', kind: 'ok' },
  cold: { word: 'not used yet', kind: 'absent' },
  degraded: { word: 'failing', kind: 'failed' },
  off: { word: 'not available', kind: 'absent' },
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
