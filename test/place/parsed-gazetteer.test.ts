import { expect, test } from 'bun:test'
import { realGazetteer } from './gazetteer.ts'

test('the towns and ZIP codes are read with breaths between, so that others are answered meanwhile', async () => {
  const gazetteer = realGazetteer()
  let breaths = 0
  const others = setInterval(() => breaths++, 0)
  await gazetteer.warm()
  clearInterval(others)
  expect(breaths).toBeGreaterThan(5)
  expect(gazetteer.place('80202')).toEqual({ city: 'Denver', state: 'CO' })
})

test('a question that comes in the middle of that is answered from all of them', async () => {
  const [gazetteer, whole] = [realGazetteer(), realGazetteer()]
  const warming = gazetteer.warm()
  await Bun.sleep(0)
  expect(gazetteer.place('99950')).toEqual(whole.place('99950'))
  expect(gazetteer.statesOf(['SPRINGFIELD'])).toEqual(whole.statesOf(['SPRINGFIELD']))
  await warming
  expect(gazetteer.statesOf(['SPRINGFIELD'])).toContain('IL')
})
