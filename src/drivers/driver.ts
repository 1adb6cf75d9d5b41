import { Type, type Static, type TSchema } from '@sinclair/typebox'
import type { Place } from '../model/place.ts'
import type { AnySource, Shape } from '../model/source.ts'
import type { Embedded } from '../packs/embedded.ts'

/** What drivers are made with. */
export type Tools = { embedded: Embedded }

/** A source that is at hand, the edition of its data (`null` when the data does not say), and where it can answer. */
export type Opened = { source: AnySource; vintage: string | null; covers?: (place: Place) => boolean }

/** A protocol: the shapes of data it can give, how it is addressed (`config`), and how it is opened (`null`: its data is not here). */
export type Driver<C extends TSchema> = {
  shapes: readonly Shape[]
  config: C
  open(config: Static<C>, shape: Shape, tools: Tools): Opened | null
}

/** Writes a driver down: its file holds nothing else but its helpers. */
export function driver<C extends TSchema>(it: Driver<C>) {
  return it
}

export { Type as t }
