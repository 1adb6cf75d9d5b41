import counties from 'made:base-counties.json' with { type: 'file' }
import states from 'made:base-states.json' with { type: 'file' }
import near from 'made:base-near.json' with { type: 'file' }
import labels from 'made:base-labels.json' with { type: 'file' }
import { feature, mesh } from 'topojson-client'

type Topology = { objects: Record<string, unknown> }
type Labels = {
  states: [name: string, short: string, lng: number, lat: number][]
  towns: [name: string, state: string, population: number, lng: number, lat: number][]
}
type NearState = { outline: object; inner: object }
/** What the engine takes for a source, by the name of the source. */
export type BaseData = Record<string, object>

/** Land, borders and names: what is there from the start. */
export async function baseData(): Promise<{ data: BaseData; states: State[] }> {
  const [topology, names] = await Promise.all([read<Topology>(states), read<Labels>(labels)])
  const object = topology.objects.states
  const land = feature(topology, object)
  const data = {
    land,
    'state-lines': mesh(topology, object, (a, b) => a !== b),
    coast: mesh(topology, object, (a, b) => a === b),
    'state-names': pointsOf(names.states.map(([name, short, lng, lat]) => ({ lng, lat, name, short }))),
    towns: pointsOf(names.towns.map(([name, , population, lng, lat]) => ({ lng, lat, name, population }))),
  }
  return { data, states: land.features.map(({ id = '', geometry }) => ({ id, box: boxOf(geometry.coordinates) })) }
}

/** A state and the box round it: west, south, east, north. Round the islands beyond the antimeridian it is the whole globe. */
export type State = { id: string; box: [number, number, number, number] }

function boxOf(coordinates: unknown): State['box'] {
  const positions = (coordinates as unknown[]).flat(3) as number[]
  const [lngs, lats] = [0, 1].map((axis) => positions.filter((_, i) => i % 2 === axis)) as [number[], number[]]
  const least = (all: number[]) => all.reduce((a, b) => Math.min(a, b), Infinity)
  const most = (all: number[]) => all.reduce((a, b) => Math.max(a, b), -Infinity)
  return [least(lngs), least(lats), most(lngs), most(lats)]
}

/** The borders of the counties: asked for when somebody comes near enough to see them. */
export async function countyLines(): Promise<BaseData> {
  const topology = await read<Topology>(counties)
  return { 'county-lines': mesh(topology, topology.objects.counties, (a, b) => a !== b) }
}

/** The addresses of the counties from near by, by the number of their state. */
export function nearAddresses(): Promise<Record<string, string>> {
  return read<Record<string, string>>(near)
}

/** A state from near by: its borders without and within. */
export async function nearState(address: string): Promise<NearState> {
  const topology = await read<Topology>(address)
  const object = topology.objects.counties
  return { outline: mesh(topology, object, (a, b) => a === b), inner: mesh(topology, object, (a, b) => a !== b) }
}

async function read<T>(address: string): Promise<T> {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${address} answered ${response.status}.`)
  return response.json() as Promise<T>
}

function pointsOf(all: ({ lng: number; lat: number } & Record<string, string | number>)[]) {
  return {
    type: 'FeatureCollection',
    features: all.map(({ lng, lat, ...properties }) => ({
      type: 'Feature',
      properties,
      geometry: { type: 'Point', coordinates: [lng, lat] },
    })),
  }
}
