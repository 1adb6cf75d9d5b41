import { nearestPlaces } from '../families-subjects.ts'
import { documented, nearest } from '../families.ts'
import type { Field } from '../../src/catalog/records.ts'

const places = {
  layer: 'points_of_interest',
  ttl_seconds: 2_592_000,
  evidence: documented,
  radii_m: [1_000, 5_000, 20_000, 50_000],
}
const derivation =
  'The nearest open place of Overture with a confidence of 0.5 or more, from a pack. Without the pack: the nearest of OpenStreetMap.'

export const points_of_interest: Field[] = [
  ...nearestPlaces(
    { ...places, derivation, otherwise: 'osm_places' },
    {
      bank: {
        thing: 'bank or credit union',
        overture: "taxonomy LIKE '%/bank_or_credit_union/%' OR category = 'bank_or_credit_union'",
        osm: "amenity = 'bank'",
        hints: 'Straight line. Stand-alone cash machines and financial advisers do not count.',
        isNamed: true,
      },
      bar: {
        thing: 'bar, pub, brewery or lounge',
        overture: "taxonomy LIKE '%/bar/%' OR category IN ('bar', 'brewery', 'lounge')",
        osm: "amenity IN ('bar', 'pub', 'biergarten') OR craft = 'brewery'",
        hints: 'Straight line. Salad and tapas bars do not count.',
        isNamed: true,
      },
      cafe: {
        thing: 'cafe, coffee shop or tea room',
        overture: "taxonomy LIKE '%/coffee_shop/%' OR category IN ('cafe', 'coffee_shop', 'tea_room')",
        osm: "amenity = 'cafe'",
        hints: 'Straight line. Coffee roasteries with a counter count.',
        isNamed: true,
      },
      gas_station: {
        thing: 'gas station',
        overture: "taxonomy LIKE '%/gas_station/%' OR category = 'gas_station'",
        osm: "amenity = 'fuel'",
        hints: 'Straight line. Truck stops count; stations that only charge vehicles do not.',
        isNamed: true,
      },
      grocery_store: {
        thing: 'grocery store or supermarket',
        overture: "taxonomy LIKE '%/grocery_store/%'",
        osm: "shop IN ('supermarket', 'grocery', 'greengrocer')",
        hints: 'Straight line. Convenience stores do not count.',
        isNamed: false,
      },
      lodging: {
        thing: 'hotel, motel, resort or hostel',
        overture: "taxonomy LIKE '%/lodging/%' AND NOT (taxonomy LIKE '%/campground/%' OR taxonomy LIKE '%/rv_park/%')",
        osm: "tourism IN ('hotel', 'motel', 'hostel', 'guest_house')",
        hints: 'Straight line. Campgrounds and parks for recreational vehicles do not count.',
        isNamed: false,
      },
      pharmacy: {
        thing: 'pharmacy or drugstore',
        overture: "taxonomy LIKE '%/pharmacy/%' OR category = 'pharmacy_and_drug_store'",
        osm: "amenity = 'pharmacy' OR shop = 'chemist'",
        hints: 'Straight line. Counters inside a supermarket count where they have a record of their own.',
        isNamed: true,
      },
      restaurant: {
        thing: 'restaurant',
        overture: "taxonomy LIKE '%/restaurant/%' OR taxonomy LIKE '%/casual_eatery/%'",
        osm: "amenity IN ('restaurant', 'fast_food', 'food_court')",
        hints: 'Straight line. Every cuisine and fast food; cafes and bars do not count.',
        isNamed: true,
      },
      shopping_center: {
        thing: 'shopping mall, outlet or department store',
        overture: "category IN ('shopping_mall', 'department_store', 'outlet_store')",
        osm: "shop IN ('mall', 'department_store')",
        hints: 'Straight line. Single shops and strip malls without a name do not count.',
        isNamed: true,
      },
    },
  ),
  ...nearest(
    { ...places, dataset: 'overture_places', thing: 'place' },
    {
      poi_count_1km: {
        within_m: 1_000,
        description: 'Number of open places of every category within 1 km.',
        hints: 'Shops, services, offices, parks and so on. 0 is a real answer in open country.',
        derivation:
          'Open places of Overture with a confidence of 0.5 or more, from a pack. Without the pack: named places of OpenStreetMap, which has fewer.',
        read: { fallback: [{ dataset: 'osm_all_places', op: 'count', radius_m: 1_000 }] },
      },
    },
  ),
]
