/** All attacks, in the order in which they run. */
import type { Attack } from './attack.ts'
import { bodiesInFlight } from './bodies-in-flight.ts'
import { changesPages, changesStreams } from './change-floods.ts'
import { bodiesOfGuest, bodiesOfNumbers, preferencesReferences } from './hostile-bodies.ts'
import { largePages } from './large-pages.ts'
import { queriesAtTheLimits, queriesOfGuests, queriesOnBusyCores, stopUnderQueries } from './long-queries.ts'
import { patternsBacktrack, patternsCompile, patternsExpand, patternsSmallModels } from './patterns.ts'
import { queriesRandom } from './random-queries.ts'
import { codesAtSpeed, guestFlood } from './sign-in-attacks.ts'
import {
  connectionsRequesting,
  connectionsIdle,
  connectionsOfOneAddress,
  connectionsSilent,
  connectionsSlowBodies,
  connectionsSlowHeaders,
  connectionsWithoutBody,
} from './slow-connections.ts'
import { tinyChunks, tinyChunks88, tinyPackets } from './tiny-chunks.ts'
import { logUnread, pipelining, responsesUnread } from './unread-output.ts'
import { floodUnsigned } from './unsigned-flood.ts'

export const ATTACKS: readonly Attack[] = [
  patternsCompile,
  patternsExpand,
  patternsBacktrack,
  patternsSmallModels,
  stopUnderQueries,
  tinyChunks,
  tinyChunks88,
  tinyPackets,
  bodiesInFlight,
  bodiesOfNumbers,
  bodiesOfGuest,
  preferencesReferences,
  queriesOfGuests,
  queriesOnBusyCores,
  queriesAtTheLimits,
  queriesRandom,
  changesPages,
  changesStreams,
  connectionsWithoutBody,
  connectionsOfOneAddress,
  connectionsSlowHeaders,
  connectionsSlowBodies,
  connectionsSilent,
  connectionsIdle,
  connectionsRequesting,
  logUnread,
  responsesUnread,
  pipelining,
  largePages,
  floodUnsigned,
  codesAtSpeed,
  guestFlood,
]
