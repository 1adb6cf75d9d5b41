import { documented, nearest } from '../families.ts'
import type { Field } from '../../src/catalog/records.ts'

const services = { layer: 'public_services', ttl_seconds: 2_592_000, evidence: documented }
const stable = { lifecycle: 'stable' } as const

export const public_services: Field[] = [
  ...nearest(
    {
      ...services,
      ...stable,
      dataset: 'usgs_structures_hospitals',
      thing: 'hospital or medical center',
      radii_m: [50_000],
    },
    {
      nearest_hospital_distance_m: {
        distance: true,
        hints: 'Straight line, not drive time; an emergency department is not implied. Animal hospitals do not count.',
      },
      nearest_hospital_name: {
        attribute: 'NAME',
        of: 'Name of',
        hints: 'Volunteer-maintained names can be out of date.',
        null_meaning: 'No hospital or medical center within 50 km.',
      },
    },
  ),
  ...nearest(
    {
      ...services,
      dataset: 'usgs_structures_fire_stations',
      thing: 'fire or EMS station',
      radii_m: [10_000, 50_000],
    },
    {
      nearest_fire_station_distance_m: {
        distance: true,
        ...stable,
        hints:
          'Insurers use a limit of five miles by road; this distance is a straight line. Ambulance services are a separate layer.',
      },
      nearest_fire_station_name: {
        attribute: 'NAME',
        of: 'Name of',
        hints: 'Of the station that nearest_fire_station_distance_m measures to.',
      },
    },
  ),
  ...nearest(
    { ...services, dataset: 'usgs_structures_police_stations', thing: 'police station', radii_m: [25_000, 100_000] },
    {
      nearest_police_station_distance_m: {
        distance: true,
        ...stable,
        hints: 'Includes sheriff and campus stations where mapped.',
      },
    },
  ),
  ...nearest(
    { ...services, ttl_seconds: 7_776_000, dataset: 'nces_schools', thing: 'school', radii_m: [5_000, 20_000, 50_000] },
    {
      nearest_school_distance_m: {
        distance: true,
        hints:
          'Public or private, any level from kindergarten to grade 12. Straight line; attendance boundaries are not considered. The private schools are those that answered the survey of 2023-24.',
      },
      nearest_school_name: { attribute: 'NAME', of: 'Name of', hints: 'Official names are often short forms.' },
    },
  ),
  ...nearest(
    {
      ...services,
      ttl_seconds: 7_776_000,
      dataset: 'nces_public_schools',
      thing: 'public school',
      radii_m: [15_000, 80_000],
    },
    {
      nearest_public_school_distance_m: {
        distance: true,
        hints: 'Any level; attendance boundaries are not considered.',
      },
      nearest_public_school_name: { attribute: 'NAME', of: 'Name of', hints: 'Official names are often short forms.' },
    },
  ),
]
