import type { TSchema } from '@sinclair/typebox'
import { ValidationError } from '../model/error.ts'

/** Of a list without a maximum length, items after this one are kept only if they are new. No valid list is longer. */
const repeatedItemsMax = 1000
/** The maximum number of new items that are kept after that. */
const newItemsMax = 2000

/**
 * Stand for a large list or object where the schema describes none. They have the type of the value, and no content.
 */
export const skippedList: unknown[] = []
export const skippedObject: object = {}
Object.freeze(skippedList)
Object.freeze(skippedObject)

/** The items of a large list: up to one more than its maximum; the different ones if it has no maximum. */
export class DescribedItems {
  readonly items: unknown[] = []
  readonly itemSchema: TSchema | null
  /** Whether the schema describes a list. */
  readonly isDescribed: boolean
  readonly #loc: (string | number)[]
  readonly #itemsMax: number
  readonly #isBounded: boolean
  #seen: Set<unknown> | null = null
  /** The number of items so far, also of those that are not kept. */
  count = 0

  constructor(schema: TSchema | null, loc: (string | number)[]) {
    this.isDescribed = schema === null || [schema.type].flat().includes('array')
    this.itemSchema = (schema?.items as TSchema | undefined) ?? null
    this.#loc = loc
    this.#isBounded = schema === null || typeof schema.maxItems === 'number'
    this.#itemsMax = schema === null ? Infinity : this.#isBounded ? Number(schema.maxItems) + 1 : repeatedItemsMax
  }

  add(items: unknown[]): void {
    for (const item of items) {
      if (this.items.length < this.#itemsMax) this.items.push(item)
      else if (!this.#isBounded) this.#addNew(item)
      this.count++
    }
  }

  #addNew(item: unknown): void {
    this.#seen ??= new Set(this.items)
    if (typeof item === 'string') {
      if (this.#seen.has(item) || this.items.length >= repeatedItemsMax + newItemsMax) return
      this.#seen.add(item)
      this.items.push(item)
    } else if (this.items.every((it) => typeof it === 'string'))
      // The first violation of the list. Its index among the kept items would be wrong, so it is reported here.
      throw new ValidationError([
        { type: 'string_type', loc: [...this.#loc, this.count], msg: 'Input should be a valid string', input: null },
      ])
  }
}

/** The members of a large object that its schema describes; all of them without a schema. */
export class DescribedMembers {
  readonly members: Record<string, unknown> = {}
  /** Whether the schema describes an object. */
  readonly isDescribed: boolean
  readonly #schemas: Record<string, TSchema> | null

  constructor(schema: TSchema | null) {
    this.isDescribed = schema === null || schema.type === 'object'
    this.#schemas = schema === null ? null : ((schema.properties as Record<string, TSchema> | undefined) ?? {})
  }

  describes(name: string): boolean {
    return this.#schemas === null || Object.hasOwn(this.#schemas, name)
  }

  schemaOf(name: string): TSchema | null {
    return this.#schemas && this.describes(name) ? this.#schemas[name]! : null
  }

  add(name: string, value: unknown): void {
    // An assignment to __proto__ would replace the prototype.
    Object.defineProperty(this.members, name, { value, enumerable: true, configurable: true, writable: true })
  }
}

/** Returns what the schema describes of a parsed value. */
export function describedMemberOf(value: unknown, schema: TSchema | null): unknown {
  if (schema === null || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const { isDescribed, itemSchema } = new DescribedItems(schema, [])
    return isDescribed ? value.map((item: unknown) => describedMemberOf(item, itemSchema)) : skippedList
  }
  const object = new DescribedMembers(schema)
  if (!object.isDescribed) return skippedObject
  for (const [name, member] of Object.entries(value))
    if (object.describes(name)) object.add(name, describedMemberOf(member, object.schemaOf(name)))
  return object.members
}
