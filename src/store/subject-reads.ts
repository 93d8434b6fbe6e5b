/**
 * What each subject of the store reads, in the snapshot of the turn: synchronous look-ups of microseconds, but for those
 * that say more. The functions stand in the rooms of their subjects, with what they take and return.
 */
import type { Awaitable } from '../base/awaitable.ts'
import type { Model } from '../models/schema.ts'
import type { Filter } from '../query/ast.ts'
import { hasAdmin, languageOf, userByEmail } from './accounts/account-tables.ts'
import { apiToken, apiTokens } from './accounts/api-token-table.ts'
import { guestStorage } from './accounts/guest-table.ts'
import { findPasskey, passkeysOf } from './accounts/passkey-table.ts'
import { viewsOf } from './accounts/saved-view-table.ts'
import { isUnused } from './accounts/unused-site.ts'
import { caller, sessionsOf } from './accounts/session-table.ts'
import type { Database } from './db/database.ts'
import { createTurnReads, type Snapshot } from './db/snapshot.ts'
import { createdSince, itemsOfHeadline, keptItems, newestItems } from './feeds/feed-items.ts'
import { feedSecret, feedsWithSecret } from './feeds/feed-secret.ts'
import { duePicture, duePictures, itemsThatWant, nextPictureAt, pictureProblems } from './feeds/item-pictures.ts'
import { dueFeeds, failingFeeds, feedState, feedStates, nextFeedAt } from './feeds/feed-state.ts'
import * as documents from './documents/document-tables.ts'
import { firstResponse } from './documents/first-response-table.ts'
import { createModelVersions } from './documents/model-versions.ts'
import { returnedDrafts, reviewNote } from './documents/review-notes.ts'
import { lookUp } from './documents/text-look-up.ts'
import { createChangeListeners } from './history/change-listeners.ts'
import { changeRange, changesBehind } from './history/change-log.ts'
import { changedBy } from './history/changes-of-actors.ts'
import { historyOf, textBehind } from './history/document-history.ts'
import { countTrash, getTrashed, listTrash } from './history/trash-table.ts'
import { getPicture, listPictures, pictureAlts, pictureFile, picturesAfter, pictureUsers, pictureTotals } from './media/picture-table.ts'
import { lastInvitation, listMessages, oldestWaitingAt, outboxSummary } from './outbox/outbox-table.ts'
import { placeState, readChain } from './pending/pending-changes.ts'
import { publicationNamed, publicationPings, publicationsWithSecret } from './publications/publication-rows.ts'
import { countQuery, type Answer, type FindQuery, type Found, type MatchCount, type QueryCaller } from './query/find-query.ts'
import { lookForWork } from './references/follow-references.ts'
import { readProgress } from './references/reference-progress.ts'
import { usageOf, usageOfMany } from './references/reference-usage.ts'
import { listSettings, readMeta } from './settings/setting-table.ts'

/** What answers queries, here or in a thread. */
type AnswerQuery = <Query extends FindQuery>(model: Model, query: Query, caller: QueryCaller) => Awaitable<Answer<Query>>

/** The queries of documents. */
export function foundBy(answer: AnswerQuery) {
  return {
    /**
     * A page of the documents that match, in the order of the sort, then of the ids: at most `limit`, and fewer where they
     * would exceed the bytes of a page. A short query is done immediately; a long one runs in a thread, under a deadline:
     * throws badRequest past it. It may wait for its turn: throws tooManyRequests where many queries of this caller are
     * waiting or this one waited too long, networkError where too many of all callers wait, and the reason of the signal
     * when that aborts.
     */
    find: (model: Model, query: FindQuery, caller: QueryCaller): Awaitable<Found> => answer(model, query, caller),
    /** How many match, up to a limit, within the same bounds. What it costs is bounded, too: past that, it is a floor. */
    count: (model: Model, filter: Filter, limit: number, caller: QueryCaller): Awaitable<MatchCount> =>
      answer(model, countQuery(filter, limit), caller),
  }
}

export function createReads(database: Database, snapshot: Snapshot) {
  const turn = createTurnReads(database, snapshot)
  const { bind } = turn
  const history = bind({ changeRange, changesBehind, historyOf, textBehind, listTrash, getTrashed, countTrash, changedBy })
  const versions = createModelVersions(database, snapshot)
  const listeners = createChangeListeners({ newest: () => history.changeRange().newest, versionsOf: versions.of })
  const { countActive, countByStatus, countByHour, countriesInUse, dueDocuments, handedIn, countHandedIn } = documents
  return {
    turn,
    listeners,
    subjects: {
      documents: bind({
        get: documents.getDocument,
        ...{ lookUp, countActive, countByStatus, countByHour, countriesInUse },
        ...{ dueDocuments, handedIn, countHandedIn, returnedDrafts, reviewNote, firstResponse },
      }),
      history: {
        ...history,
        /**
         * Calls the listener behind each commit of this process that changed a document, and soon after one of another
         * process: within 250 ms, unless it wants none of those. It may want the changes of some models only. Commits of one turn of the event loop may share a call.
         * Returns a function that ends it.
         */
        onChanges: listeners.add,
      },
      versions,
      references: bind({ usageOf, usageOfMany, lookForWork, progress: readProgress }),
      accounts: bind({
        ...{ caller, userByEmail, hasAdmin, isUnused, languageOf, sessionsOf, viewsOf, guestStorage },
        ...{ apiToken, apiTokens, findPasskey, passkeysOf },
      }),
      feeds: bind({
        ...{ feedState, feedStates, failingFeeds, dueFeeds, nextFeedAt, feedSecret, feedsWithSecret },
        ...{ keptItems, newestItems, itemsOfHeadline, createdSince },
        ...{ duePicture, duePictures, itemsThatWant, nextPictureAt, pictureProblems },
      }),
      publications: bind({ publicationNamed, publicationsWithSecret, publicationPings }),
      pictures: bind({ getPicture, listPictures, pictureAlts, pictureFile, picturesAfter, pictureUsers, pictureTotals }),
      outbox: bind({ listMessages, lastInvitation, oldestWaitingAt, outboxSummary }),
      settings: bind({ listSettings, readMeta }),
      pending: bind({ chain: readChain, placeState }),
    },
  }
}
