/**
 * What a remote_config must fulfil beyond its types, because an app that reads it would not start again.
 */
import { describe, fail } from '../base/failure.ts'
import type { JsonObject } from '../base/json.ts'
import type { RemoteConfig } from '../models/remote-config.ts'

/** Semantic Versioning 2.0.0, section 2, with the parts that the apps' parser accepts. */
const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/

/** Throws invalidInput for a configuration that decodes and still stops the apps. */
export function checkRemoteConfig(document: JsonObject): void {
  const { appStatus, feedDecoratorConfig } = document as unknown as RemoteConfig
  if (appStatus.isLatestVersionOnly && !VERSION.test(appStatus.latestAppVersion)) {
    throw fail(
      'invalidInput',
      `appStatus.latestAppVersion: expected a version such as 1.2.0 while isLatestVersionOnly is true, found ${describe(appStatus.latestAppVersion)}`,
    )
  }
  for (const [kind, decorator] of Object.entries(feedDecoratorConfig)) {
    if (decorator.enabled && decorator.category === 'contentCollection' && decorator.itemsToDisplay === null) {
      throw fail(
        'invalidInput',
        `feedDecoratorConfig.${kind}.itemsToDisplay: expected a number while this content collection is enabled, found null`,
      )
    }
  }
}
