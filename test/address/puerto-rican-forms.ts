import type { FormsOfAddresses } from './address-grammar.ts'
import { calleOf, joined, houseNumberOf, pick, whole } from './address-components.ts'
import { neighborhoods } from './address-words.ts'

/** The forms of Puerto Rico, where the kind of a street comes first and a neighborhood may stand ahead. */
export const puertoRicanForms: FormsOfAddresses = {
  calle: (random) => joined(houseNumberOf(random), calleOf(random)),
  'neighborhood ahead': (random) =>
    joined({ text: `${pick(random, neighborhoods)},`, parts: {} }, houseNumberOf(random), calleOf(random)),
  'neighborhood behind': (random) => {
    const { text, parts } = calleOf(random)
    return joined(houseNumberOf(random), { text: `${text},`, parts }, { text: pick(random, neighborhoods), parts: {} })
  },
  'block and lot': (random) => {
    const number = `${pick(random, [...'ABCDGHK'])}-${1 + whole(random, 40)}`
    return joined({ text: number, parts: { number } }, calleOf(random))
  },
  carretera: (random) => {
    const name = String(1 + whole(random, 190))
    const word = pick(random, ['Carr ', 'Carretera ', 'PR-', 'Carr. '])
    const pretype = word === 'PR-' ? 'State Route' : 'Carretera'
    return joined(houseNumberOf(random), { text: `${word}${name}`, parts: { pretype, street: name } })
  },
}
