import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { House } from '../house.ts'

/** Returns every stored byte of the state of a service. */
export function bytes({ app }: House): Buffer {
  const { data } = app.config
  return Buffer.concat(
    readdirSync(data)
      .filter((name) => name.startsWith('state.db'))
      .map((name) => readFileSync(join(data, name))),
  )
}
