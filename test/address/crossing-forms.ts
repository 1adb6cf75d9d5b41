import type { FormsOfAddresses } from './address-grammar.ts'
import { directionOf, joined, ordinalOf, pick, streetOf, whole } from './address-components.ts'
import { oneLetter, spacedHighways } from './address-words.ts'

/** The forms of two crossing streets. */
export const crossingForms: FormsOfAddresses = {
  intersection: (random) => {
    const [one, two] = [streetOf(random), pick(random, [streetOf, ordinalOf])(random)]
    const connector = pick(random, [' & ', ' and ', ' at ', ' @ ', ' / '])
    return { text: `${one.text}${connector}${two.text}`, parts: one.parts, crossing: two.parts }
  },
  'corner of two streets': (random) => {
    const [one, two] = [streetOf(random), streetOf(random)]
    const word = pick(random, ['Corner of', 'Intersection of'])
    return { text: `${word} ${one.text} and ${two.text}`, parts: one.parts, crossing: two.parts }
  },
  'intersection with directions': (random) => {
    const one = joined(directionOf(random, 'pre', oneLetter), streetOf(random))
    const two = joined(directionOf(random, 'pre', oneLetter), ordinalOf(random))
    return { text: `${one.text} & ${two.text}`, parts: one.parts, crossing: two.parts }
  },
  'intersection of numbered roads': (random) => {
    const [word, pretype] = pick(random, spacedHighways)
    const [a, b] = [String(2 + whole(random, 99)), String(2 + whole(random, 99))]
    return {
      text: `${word} ${a} & County Road ${b}`,
      parts: { pretype, street: a },
      crossing: { pretype: 'County Road', street: b },
    }
  },
}
