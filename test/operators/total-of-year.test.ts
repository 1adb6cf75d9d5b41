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

test.each([
  [
    'heating',
    heating,
    '488.4-878.5 406.7-746.4 339.6-655.3 183.8-418.2 42.0-208.9 0.0-105.0 0.0-108.5 0.0-108.5 39.8-202.2 190.8-432.1 327.8-634.2 448.7-819.0',
  ],
  [
    'cooling',
    heating.map(() => 60),
    '0.0-108.5 0.0-98.9 0.0-108.5 0.0-105.0 0.0-108.5 15.8-166.2 56.8-231.3 17.2-171.7 0.0-105.0 0.0-108.5 0.0-105.0 0.0-108.5',
  ],
  [
    'frost',
    [31, 28, 9, 0, 0, 0, 0, 0, 0, 0, 9, 20],
    '10.0-32.0 10.0-29.3 0.0-32.0 0.0-31.0 0.0-32.0 0.0-31.0 0.0-32.0 0.0-32.0 0.0-31.0 0.0-32.0 0.0-31.0 10.0-32.0',
  ],
])('the limits of a month of %s come from its mean temperature and its days', (kind, fitting, expected) => {
  const limitsOf = (month: number) => {
    const months = fitting.with(month, 9_999)
    try {
      return totalOfYear(
        months.reduce((sum, value) => sum + value, 0),
        months,
        kind,
      )
    } catch (error) {
      return /Expected (.*) to (.*)\./
        .exec((error as Error).message)
        ?.slice(1)
        .join('-')
    }
  }
  expect(fitting.map((_, month) => limitsOf(month)).join(' ')).toBe(expected)
})

test('the year may differ from its months by 2% and 0.1', () => {
  expect(totalOfYear(1.019 * total, heating)).toBeCloseTo(total)
  expect(() => totalOfYear(1.021 * total, heating)).toThrow('neither the sum')
  const warm = '5,5,5,5,5,5,5,5,5,5,5,5,5'
  const none = heating.map(() => 0)
  expect(totalOfYear(0.09, none, 'frost', warm)).toBe(0)
  expect(() => totalOfYear(0.5, none, 'frost', warm)).toThrow('neither the sum')
})
