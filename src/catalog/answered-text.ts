import type { CatalogDocument } from './catalog-document.ts'
import { isFullPreset } from './field-title.ts'

type Answered = Pick<CatalogDocument, 'count' | 'answered_now' | 'answered_offline' | 'preset_details'>

/** Says how many fields a server answers, how many of them without a network, and which presets completely. */
export function answeredText(
  { count, answered_now, answered_offline, preset_details }: Answered,
  presetLabel = (name: string) => name,
): string {
  const isLocal = answered_now === answered_offline
  const fields = isLocal
    ? `${answered_now} of ${count} fields answer here, all of them without a network.`
    : `${answered_offline} of ${count} fields answer here without a network, ${answered_now} while their publishers answer.`
  const complete = completePresets({ preset_details })
  const names = complete.slice(0, listedPresets).map(presetLabel).join(', ')
  const more = complete.length > listedPresets ? ` and ${complete.length - listedPresets} more` : ''
  return complete.length === 0
    ? `${fields} No preset is complete without a network.`
    : `${fields} Complete without a network: ${names}${more}.`
}

const listedPresets = 5

/** Returns the presets whose members are all answered without a network. */
function completePresets({ preset_details }: Pick<CatalogDocument, 'preset_details'>): string[] {
  return Object.entries(preset_details).flatMap(([name, { fields, answered_offline }]) =>
    answered_offline === fields && !isFullPreset(name) ? [name] : [],
  )
}
