import type { Catalog } from '../catalog/catalog.ts'

/** Returns the whole catalog as a prompt. Order and words never vary, so that the provider can cache it. */
export function catalogPrompt({ version, fields, presets }: Catalog): string {
  const byName = [...fields.values()].toSorted((a, b) =>
    a.layer === b.layer ? compare(a.name, b.name) : compare(a.layer, b.layer),
  )
  return [
    `Catalog ${version}. One field per line: layer | name | type | unit | description.`,
    ...byName.map(
      ({ layer, name, type, unit, description }) => `${layer} | ${name} | ${type} | ${unit ?? '-'} | ${description}`,
    ),
    '',
    'Presets, each a list of fields:',
    ...[...presets]
      .toSorted(([a], [b]) => compare(a, b))
      .map(([name, { reason, fields: members }]) => `${name}: ${reason} ${members.join(', ')}`),
  ].join('\n')
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
