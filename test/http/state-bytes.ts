import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestService } from '../support/test-service.ts'

/** Returns every stored byte of the state of a service. */
export function bytes({ app }: TestService): Buffer {
  const { data } = app.config
  return Buffer.concat(
    readdirSync(data)
      .filter((name) => name.startsWith('state.db'))
      .map((name) => readFileSync(join(data, name))),
  )
}
