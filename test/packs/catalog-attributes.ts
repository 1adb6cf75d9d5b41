import * as contents from '../../catalog/contents.ts'
import { createCatalog } from '../../src/catalog/catalog.ts'
import { packExpectationsOf } from '../../src/catalog/pack-expectations.ts'
import type { Properties } from '../../src/model/source.ts'

const expectationsOf = packExpectationsOf(createCatalog(contents))

/**
 * Returns a function that adds the attributes that the catalog reads from a layer of a pack, as null. So a field that is
 * added does not make the packs of the tests incomplete.
 */
export function catalogAttributesOf(file: string, layer: string): (given: Properties) => Properties {
  const required = expectationsOf(file).flatMap(({ layers, attributes }) => (layers.includes(layer) ? attributes : []))
  return (given) => {
    const names = new Set(Object.keys(given).map((name) => name.toLowerCase()))
    const missing = required.filter((name) => !names.has(name.toLowerCase()))
    return { ...given, ...Object.fromEntries(missing.map((name) => [name, null])) }
  }
}
