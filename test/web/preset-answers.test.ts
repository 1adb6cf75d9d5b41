import { expect, test } from 'bun:test'
import { answeredText } from '../../src/catalog/answered-text.ts'
import { namesFirst } from '../../src/catalog/field-title.ts'
import type { PresetDetails } from '../../src/catalog/catalog-document.ts'
import { presetsByAnswer } from '../../src/web/explore/preset-answers.ts'
import { words } from '../support/words.ts'

const detailsOf = (fields: number, answered_now: number, answered_offline: number): PresetDetails => ({
  reason: 'A reason.',
  fields,
  answered_now,
  answered_online_without_keys: fields,
  answered_offline,
})
const preset_details = {
  nothing: detailsOf(4, 0, 0),
  few: detailsOf(28, 3, 3),
  half: detailsOf(10, 5, 1),
  complete: detailsOf(5, 5, 5),
  place_context: detailsOf(43, 43, 43),
  half_full: detailsOf(72, 72, 72),
}
const presets = Object.fromEntries(Object.keys(preset_details).map((name) => [name, []]))

test('presets that answer completely come first, and each has its count and its group', () => {
  const listed = presetsByAnswer({ presets, preset_details })
  expect(listed.map(({ name, answered, fields, group }) => [name, `${answered}/${fields}`, group])).toEqual([
    ['place_context', '43/43', 'complete'],
    ['complete', '5/5', 'complete'],
    ['half_full', '72/72', 'complete'],
    ['half', '5/10', 'partial'],
    ['few', '3/28', 'partial'],
    ['nothing', '0/4', 'none'],
  ])
})

test('the sentence about a server says what needs no network', () => {
  expect(answeredText({ count: 700, answered_now: 78, answered_offline: 78, preset_details })).toBe(
    '78 of 700 fields answer here, all of them without a network. Complete without a network: complete, place_context.',
  )
  expect(answeredText({ count: 700, answered_now: 640, answered_offline: 78, preset_details })).toBe(
    '78 of 700 fields answer here without a network, 640 while their publishers answer. Complete without a network: complete, place_context.',
  )
  expect(answeredText({ count: 700, answered_now: 0, answered_offline: 0, preset_details: {} })).toEndWith(
    'No preset is complete without a network.',
  )
})

test('the name of a county and its state come before their codes', () => {
  expect(namesFirst(['state', 'state_fips', 'county', 'county_fips', 'cbsa_code', 'timezone'])).toEqual(words`
    state county timezone state_fips county_fips cbsa_code
  `)
})
