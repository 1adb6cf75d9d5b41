import { listed } from '../geopackage-file.ts'
import { PackRefused } from '../pack-refused.ts'
import type { InputChoice } from './input.ts'

/**
 * Which of a file's layers is meant: the one that is named, else the only one, else the one that has the name the catalog reads, alone or as
 * publishers adorn it (`DC_Wetlands`, `tl_2025_us_county`).
 */
export function chosenLayer<Layer extends { name: string }>(layers: readonly Layer[], { layer, wanted }: Pick<InputChoice, 'layer' | 'wanted'>, file: string): Layer {
  const named = (name: string) => layers.filter((it) => it.name.toLowerCase() === name.toLowerCase())
  if (layer !== null) {
    const [found] = named(layer)
    if (found) return found
    throw new PackRefused(`${file} has no layer ${layer}; it has ${listed(layers.map(({ name }) => name))}.`)
  }
  if (layers.length === 1) return layers[0]!
  const adorned = new RegExp(`_${wanted.replaceAll(/\W/g, '.')}\\d*$`, 'i')
  const fitting = [named(wanted), layers.filter(({ name }) => adorned.test(name))].find((some) => some.length === 1)
  if (fitting) return fitting[0]!
  throw new PackRefused(`${file} has several layers (${listed(layers.map(({ name }) => name))}) and none is plainly ${wanted}: name one with --source-layer.`)
}
