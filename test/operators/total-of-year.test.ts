import { expect, test } from 'bun:test'
import { compileExpression } from '../../src/operators/expression.ts'

/** Monthly means of a place with cold winters, in degC, January first, then the year. */
const t2m = '-2.4,-0.8,3.6,9.6,15.6,20,21.6,20,15.6,9.6,3.6,-0.8,9.6'
const heating = [641.7, 540, 456, 261, 94, 15, 5, 14, 90, 266, 441, 592]
const total = heating.reduce((sum, month) => sum + month, 0)

const totalOfYear = (year: number | null, months: number[], kind = 'heating', temperatures: string | null = t2m) =>
  compileExpression(`total_of_year(year, months, t2m, '${kind}')`, ['year', 'months', 't2m'])({
    year,
    months: [...months, year].join(','),
    t2m: temperatures,
  })

test('the total of a year is the sum of its months, whether the publisher gives their sum or their mean', () => {
  expect(totalOfYear(total, heating)).toBeCloseTo(3415.7)
  expect(totalOfYear(total / 12, heating)).toBeCloseTo(3415.7)
  expect(totalOfYear(null, heating)).toBeNull()
  expect(totalOfYear(total, heating, 'heating', null)).toBeNull()
})

test.each([
  ['totals of 20 years', 20 * total, heating.map((month) => 20 * month), 'heating', 'a month with a mean of'],
  ['means of a day', total / 365, heating.map((month) => month / 30.4), 'heating', 'a month with a mean of'],
  ['heating for cooling', total, heating, 'cooling', 'a month with a mean of'],
  ['a year of other months', 2 * total, heating, 'heating', 'neither the sum nor the mean of its months'],
  ['no frost in a cold month', 4, [0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1], 'frost', 'a month with a mean of'],
  ['too few months', 600, [300, 300], 'heating', 'Expected 12'],
])('%s are no total', (_, year, months, kind, message) => {
  expect(() => totalOfYear(year, months, kind)).toThrow(message)
})
