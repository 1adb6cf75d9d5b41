import { isNothingHere } from '../../model/document-markers.ts'
import { isRecord } from '../../model/record.ts'
import { schemaChangedError } from '../../model/error.ts'
import type { Budget } from '../../model/source.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { readNewestLastModified } from './reply-dates.ts'
import { mapInPairs, type DocumentHarvester, type HarvestEstimate, type KeyedDocument } from '../harvest.ts'

/** Requests the documents of a county: of its own key, or of all areas in it. */
type RequestDocuments = (county: string, net: HttpClient, budget: Budget) => Promise<KeyedDocument[]>

/** Creates the harvester of documents that a service returns for a county. */
export function createCountyHarvester(
  { host, net, counties }: { host: string; net: HttpClient; counties: readonly string[] },
  requestsPerCounty: number,
  requestDocuments: RequestDocuments,
): DocumentHarvester {
  return {
    shape: 'document',
    host,
    estimate: () => Promise.resolve(estimateOf(counties.length * requestsPerCounty)),
    lastEdit: (_boxes, budget) =>
      readNewestLastModified(
        net,
        counties.map((county) => (client: HttpClient) => requestDocuments(county, client, budget)),
      ),
    async copy(journal, budget) {
      const recording = journal.recordReplies(net)
      return (await mapInPairs(counties, (county) => requestDocuments(county, recording, budget))).flat()
    },
  }
}

/** The size of a copy with this many replies. */
export function estimateOf(requests: number): HarvestEstimate {
  return { requests, features: requests, bytes: requests * expectedReply_bytes }
}

/** For the estimate only. */
const expectedReply_bytes = 50_000

/**
 * Divides a table of the Census Bureau with several areas into one document for each of them, in the form in which the
 * service answers for one area.
 */
export function documentsOfAreas(table: unknown): KeyedDocument[] {
  if (isNothingHere(table)) return []
  const [header, ...rows] = Array.isArray(table) ? (table as string[][]) : []
  const parts = areaColumns.map((name) => header?.indexOf(name) ?? -1)
  if (parts[0] === -1) throw schemaChangedError([areaColumns[0]!], isRecord(table) ? Object.keys(table) : [])
  return rows.map((row) => ({
    key: parts.flatMap((column) => (column === -1 ? [] : [row[column]])).join(''),
    document: [header!, row],
  }))
}

/** The columns that form the code of an area, from large to small. */
const areaColumns = ['state', 'county', 'tract', 'block group']
