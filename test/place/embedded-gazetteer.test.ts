import { expect, test } from 'bun:test'
import { realGazetteer } from '../support/real-gazetteer.ts'

test('the towns and ZIP codes load in steps, so that the event loop keeps running', async () => {
  const gazetteer = realGazetteer()
  let breaths = 0
  const others = setInterval(() => breaths++, 0)
  await gazetteer.warm()
  clearInterval(others)
  expect(breaths).toBeGreaterThan(5)
  expect(gazetteer.placeOfZip('80202')).toEqual({ city: 'Denver', state: 'CO' })
})

test('a lookup during loading uses the complete data', async () => {
  const [gazetteer, whole] = [realGazetteer(), realGazetteer()]
  const warming = gazetteer.warm()
  await Bun.sleep(0)
  expect(gazetteer.placeOfZip('99950')).toEqual(whole.placeOfZip('99950'))
  expect(gazetteer.statesWithTown(['SPRINGFIELD'])).toEqual(whole.statesWithTown(['SPRINGFIELD']))
  await warming
  expect(gazetteer.statesWithTown(['SPRINGFIELD'])).toContain('IL')
})
