import { expect } from 'bun:test'
import { addAccounts, callBoth, newPin, now, type ContractCase } from './contract-case.ts'

/** The contract of PinStore. */
export const pinContract: ContractCase[] = [
  {
    name: 'the pins of an account are listed with their content, the oldest first',
    async check(first, { pins }) {
      await addAccounts(first, 'ada', 'bob')
      const place = newPin('a place \u{1F600}', { content: { place: { lat: 39.7392, lng: -104.9903 } } })
      const fields = newPin('fields', { content: { fields: ['county', 'elevation'] }, created_at: now + 1 })
      const preset = newPin('preset', { created_at: now - 1 })
      for (const pin of [place, fields, preset, newPin('of bob', { account_id: 'bob' })]) await pins.addPin(pin, 10)
      expect(await first.pins.listPins('ada')).toEqual([preset, place, fields])
      expect(await first.pins.listPins('nobody')).toEqual([])
    },
  },
  {
    name: 'the pin of another account cannot be removed',
    async check(first, { pins }) {
      await addAccounts(first, 'ada', 'bob')
      await first.pins.addPin(newPin('pin'), 10)
      expect(await pins.removePin('bob', 'pin_pin')).toBe(false)
      expect(await pins.listPins('ada')).toHaveLength(1)
      expect([await pins.removePin('ada', 'pin_pin'), await pins.removePin('ada', 'pin_pin')]).toEqual([true, false])
      expect(await first.pins.listPins('ada')).toEqual([])
    },
  },
  {
    name: 'an account has at most the allowed number of pins, also if both stores add them at the same time',
    async check(first, second) {
      await addAccounts(first, 'ada', 'bob')
      await first.pins.addPin(newPin('of bob', { account_id: 'bob' }), 3)
      // In the first round, the calls may wait for connections and so not run at the same time.
      for (let round = 0; round < 4; round++) {
        const added = await callBoth([first, second], ({ pins }, index) => pins.addPin(newPin(`${index}`), 3))
        expect(added.filter(Boolean)).toHaveLength(3)
        const pins = await first.pins.listPins('ada')
        expect(pins).toHaveLength(3)
        for (const { id } of pins) await first.pins.removePin('ada', id)
      }
    },
  },
]
