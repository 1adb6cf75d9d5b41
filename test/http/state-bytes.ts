import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestService } from '../support/test-service.ts'
import { usesPostgres } from '../support/test-state.ts'

/** Returns every stored byte of the state of a service, without its caches. */
export async function bytes({ app, state }: TestService): Promise<Buffer> {
  if (usesPostgres) return Buffer.from(await tableTexts(state))
  const { data } = app.config
  return Buffer.concat(
    readdirSync(data)
      .filter((name) => name.startsWith('state.db'))
      .map((name) => readFileSync(join(data, name))),
  )
}

/** Returns the rows of all tables as text, with binary values as they are. */
async function tableTexts({ query }: TestService['state']): Promise<string> {
  const tables = await query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'geocodes'",
  )
  const rows = await Promise.all(
    tables.map(({ name }) => query<{ text: string | null }>(`SELECT string_agg(t::text, '') AS text FROM ${name} t`)),
  )
  const text = rows.map(([row]) => row?.text ?? '').join('\n')
  return text.replaceAll(/\\+x((?:[0-9a-f]{2})+)/g, (_all, hex: string) => Buffer.from(hex, 'hex').toString('latin1'))
}
