import { useEffect, useState } from 'preact/hooks'
import type { DrawnFeature, FetchAnswer, FieldResult } from '../../fetch/fetch-answer.ts'
import type { AreaAnswer, AreaFieldResult } from '../../areas/area-answer.ts'
import type { ApiClient } from '../api-client.ts'
import { runRequest } from '../request.ts'

/** Prevents requests for rows that the pointer only passes over. */
const hoverDelay_ms = 150
const rememberedMax = 100
const noShapes: DrawnFeature[] = []

/** The fields whose shapes the map shows: the one that the pointer or the focus is on, else the one that was opened. */
export type ShownField = { pointed: string | null; opened: string | null }

const noField: ShownField = { pointed: null, opened: null }

/** Remembers the fields whose shapes the map shows, until the place changes. */
export function useShownField(place: unknown[]): [ShownField, (change: Partial<ShownField>) => void] {
  const [shown, setShown] = useState(noField)
  useEffect(() => setShown(noField), place)
  return [shown, (change) => setShown((before) => ({ ...before, ...change }))]
}

/** The shapes of a field at a place; `error` says why the source did not send them. */
export type FieldShapes = { field: string; shapes: DrawnFeature[]; error: string | null }

/** Reports whether the shapes of a result are on this server, so that pointing at it calls no publisher. */
export function hasLocalShapes(result: FieldResult | AreaFieldResult | undefined): boolean {
  return result !== undefined && result.status !== 'failed' && ['embedded', 'pack'].includes(result.driver ?? '')
}

/** A place or an area, as the request that answers its fields. */
export type ShapeQuestion = { path: '/v1/fetch' | '/v1/areas'; body: object }

/** Returns the shapes that a field was read from; null while there is no field, and until they have arrived. */
export function useFieldShapes(
  api: ApiClient,
  question: ShapeQuestion | null,
  { pointed, opened }: ShownField,
): FieldShapes | null {
  const field = pointed ?? opened
  const [remembered, setRemembered] = useState<ReadonlyMap<string, FieldShapes>>(new Map())
  const key = question && field !== null ? `${JSON.stringify(question)} ${field}` : ''
  const known = remembered.get(key)
  useEffect(() => {
    if (!question || field === null || known) return
    const controller = new AbortController()
    const load = async () => {
      const loaded = await readShapes(api, question, field, controller.signal)
      if (loaded && !controller.signal.aborted)
        setRemembered((before) => new Map([...before, [key, loaded] as const].slice(-rememberedMax)))
    }
    const timer = setTimeout(() => void load(), hoverDelay_ms)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [key, known])
  return known ?? null
}

async function readShapes(
  api: ApiClient,
  { path, body: question }: ShapeQuestion,
  field: string,
  signal: AbortSignal,
): Promise<FieldShapes | null> {
  const body = { ...question, fields: [field], include: ['geometry'] }
  const state = await runRequest(() => api.post<FetchAnswer | AreaAnswer>(path, body, signal)).catch(() => null)
  if (!state || state.status === 'loading') return null
  if (state.status === 'failed') return { field, shapes: noShapes, error: state.error.message }
  const result = state.value.fields[field]
  return { field, shapes: result?.geometry?.features ?? noShapes, error: result?.geometry_error ?? null }
}
