import type { PageProps } from '../dashboard.ts'

const unitLabels = { us: 'US units', metric: 'Metric units' } as const

/** A button that switches between US and metric units. */
export function UnitSwitch({ dashboard: { units } }: PageProps) {
  const current = units.system.value
  const next = current === 'us' ? 'metric' : 'us'
  return (
    <button
      type="button"
      class="chip"
      aria-label={`${unitLabels[current]} first. Change to ${unitLabels[next].toLowerCase()}.`}
      onClick={() => units.choose(next)}
    >
      {unitLabels[current]}
    </button>
  )
}
