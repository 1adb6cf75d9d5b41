import { attributeOf, compared } from '../geo/attribute.ts'
import { notMapped } from '../model/outcome.ts'
import type { Feature } from '../model/source.ts'
import { holding } from './holding.ts'
import { operator, t } from './operator.ts'
import { foundAttribute } from './record.ts'
import { passes, test } from './tested.ts'

/** Whether a feature holds the point (and passes the test). Where none does, `none`, which is false unless it is said to be null. */
export const within = operator({
  over: 'features',
  args: t.Object({
    where: t.Optional(t.String()),
    attribute: t.Optional(t.String()),
    test: t.Optional(test),
    /** Values by attribute of a feature that stands for "not mapped". */
    null_when: t.Optional(t.Record(t.String(), t.Array(t.Union([t.String(), t.Number()])))),
    level: t.Optional(t.Integer()),
    none: t.Optional(t.Union([t.Boolean(), t.Null()])),
  }),
  async run({ attribute, test, null_when = {}, none = false, ...narrowing }, features, { at }, budget) {
    const here = await holding(features, at, narrowing, budget)
    if (here.length === 0) return none
    if (attribute === undefined || test === undefined) return here.some(isMapped(null_when)) || notMapped
    const holds = passes(test)
    if (here.some(({ properties }) => holds(foundAttribute(properties, attribute)))) return true
    return here.every(isMapped(null_when)) ? false : notMapped
  },
})

function isMapped(nullWhen: Record<string, (string | number)[]>): (feature: Feature) => boolean {
  const names = Object.keys(nullWhen)
  return ({ properties }) =>
    !names.some((name) => nullWhen[name]!.some((value) => compared(attributeOf(properties, name) ?? null, value) === 0))
}
