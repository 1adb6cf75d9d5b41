import { fieldsSharing } from '../families.ts'
import type { Field } from '../../src/catalog/records.ts'

const shared = {
  layer: 'places',
  lifecycle: 'stable',
  type: 'string',
  unit: null,
  ttl_seconds: 7_776_000,
  null_meaning: null,
  evidence: 'checked with the embedded layer at ten known places',
} satisfies Partial<Field>

export const places: Field[] = fieldsSharing(shared, [
  {
    name: 'nearest_place_name',
    description: 'Name of the nearest populated place of at least 1,000 inhabitants.',
    interpretation_hints:
      "A place is a point at its center: in a large city the nearest point can be a section of it (Hell's Kitchen) or a suburb. It is not the municipality that contains the point; political_locality is. Places of the US and its territories only.",
    derivation: 'Nearest point of the GeoNames places, including sections of large cities.',
    read: { dataset: 'geonames_places', op: 'nearest_attribute', attribute: 'NAME', search_radii_m: null },
  },
  {
    name: 'nearest_place_state',
    description: 'Two-letter postal code of the state or territory of the nearest populated place.',
    spoken: 'the state of the nearest town',
    interpretation_hints: 'Near a state line this can differ from the state of the point.',
    pattern: '^[A-Z]{2}$',
    derivation: 'From the same place as nearest_place_name.',
    read: { dataset: 'geonames_places', op: 'nearest_attribute', attribute: 'STATE', search_radii_m: null },
  },
  {
    name: 'nearest_place_population',
    description: 'Population of the nearest populated place.',
    spoken: 'the population of the nearest town',
    interpretation_hints:
      'An order of magnitude: the GeoNames figure is often a decade old. For a current count use county_population or the tract fields.',
    type: 'integer',
    unit: 'people',
    derivation: 'From the same place as nearest_place_name.',
    valid_range: [0, 10_000_000],
    read: { dataset: 'geonames_places', op: 'nearest_attribute', attribute: 'POPULATION', search_radii_m: null },
  },
  {
    name: 'nearest_place_distance_m',
    description: 'Distance to the center of the nearest populated place of at least 1,000 inhabitants.',
    interpretation_hints:
      'Measured to a point at the center, not to the city limits. Over 30,000 m is remote; over 80,000 m is wilderness in most states.',
    type: 'float',
    unit: 'm',
    decimals: 0,
    derivation: 'Geodesic distance to the point of nearest_place_name.',
    valid_range: [0, 25_000_000],
    read: { dataset: 'geonames_places', op: 'nearest_distance', search_radii_m: null },
  },
  {
    name: 'places_within_25km_count',
    description: 'Number of populated places of at least 1,000 inhabitants whose center is within 25 km.',
    interpretation_hints: '0 is remote; over 50 is a metropolitan area.',
    type: 'integer',
    unit: 'count',
    derivation: 'Count of the GeoNames places, sections of cities excluded.',
    valid_range: [0, 10_000],
    read: { dataset: 'geonames_places', op: 'count', radius_m: 25_000, where: "FCODE <> 'PPLX'" },
  },
  {
    name: 'nearest_city_50k_name',
    description: 'Name of the nearest city of at least 50,000 inhabitants.',
    interpretation_hints:
      'A rough guide to where labor, services and contractors come from. Covers cities of the US and its territories only; a nearer city across the border is ignored.',
    derivation: 'Nearest point of the GeoNames places with a population of 50,000 or more.',
    read: { dataset: 'geonames_cities_50k', op: 'nearest_attribute', attribute: 'NAME', search_radii_m: null },
  },
  {
    name: 'nearest_city_50k_population',
    description: 'Population of the nearest city of at least 50,000 inhabitants.',
    interpretation_hints: 'The GeoNames figure is often a decade old.',
    type: 'integer',
    unit: 'people',
    derivation: 'From the same city as nearest_city_50k_name.',
    valid_range: [50_000, 10_000_000],
    read: { dataset: 'geonames_cities_50k', op: 'nearest_attribute', attribute: 'POPULATION', search_radii_m: null },
  },
  {
    name: 'nearest_city_50k_distance_m',
    description: 'Distance to the center of the nearest city of at least 50,000 inhabitants.',
    interpretation_hints: 'Straight line; the distance by road is a fifth to a half longer.',
    type: 'float',
    unit: 'm',
    decimals: 0,
    derivation: 'Geodesic distance to the point of nearest_city_50k_name.',
    valid_range: [0, 25_000_000],
    read: { dataset: 'geonames_cities_50k', op: 'nearest_distance', search_radii_m: null },
  },
  {
    name: 'nearest_city_250k_name',
    description: 'Name of the nearest city of at least 250,000 inhabitants.',
    interpretation_hints:
      'Covers cities of the US and its territories only. For islands the city can be across the sea.',
    derivation: 'Nearest point of the GeoNames places with a population of 250,000 or more.',
    read: { dataset: 'geonames_cities_250k', op: 'nearest_attribute', attribute: 'NAME', search_radii_m: null },
  },
  {
    name: 'nearest_city_250k_distance_m',
    description: 'Distance to the center of the nearest city of at least 250,000 inhabitants.',
    interpretation_hints: 'Straight line, across water if necessary.',
    type: 'float',
    unit: 'm',
    decimals: 0,
    derivation: 'Geodesic distance to the point of nearest_city_250k_name.',
    valid_range: [0, 25_000_000],
    read: { dataset: 'geonames_cities_250k', op: 'nearest_distance', search_radii_m: null },
  },
  {
    name: 'nearest_zip_centroid',
    description: 'ZIP code whose centroid is nearest to the point.',
    spoken: 'the ZIP code with the nearest center',
    interpretation_hints:
      'A hint, never the ZIP code of the point: it is correct at about 65 of 100 points. zcta5 is the area that contains the point.',
    pattern: '^[0-9]{5}$',
    derivation:
      'Nearest GeoNames postal code centroid. In the territories, the nearest internal point of a ZIP Code Tabulation Area.',
    read: { dataset: 'geonames_postal_codes', op: 'nearest_attribute', attribute: 'ZIP', search_radii_m: null },
    evidence:
      'checked against the areas of 33,791 codes: the nearest center is of the right code at 65% of the points; the right code is among the nearest three at 90%',
  },
  {
    name: 'nearest_zip_centroid_distance_m',
    description: 'Distance to the nearest ZIP code centroid.',
    interpretation_hints: 'The larger the distance, the less reliable nearest_zip_centroid is.',
    type: 'float',
    unit: 'm',
    decimals: 0,
    derivation: 'Geodesic distance to the centroid of nearest_zip_centroid.',
    valid_range: [0, 25_000_000],
    read: { dataset: 'geonames_postal_codes', op: 'nearest_distance', search_radii_m: null },
  },
])
