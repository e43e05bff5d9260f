import type { KeyValueService } from 'messaging-automation/webhooks';

/** The part of `DynamoDBDocument.from(new DynamoDBClient())` of `@aws-sdk/lib-dynamodb` that this example uses. */
export interface DynamoDbDocuments {
  get(input: {
    TableName: string;
    Key: Record<string, unknown>;
    ConsistentRead: boolean;
  }): Promise<{ Item?: Record<string, unknown> | undefined }>;
  put(input: { TableName: string; Item: Record<string, unknown> } & Condition): Promise<unknown>;
  delete(input: { TableName: string; Key: Record<string, unknown> } & Condition): Promise<unknown>;
  scan(input: {
    TableName: string;
    ConsistentRead: boolean;
    FilterExpression: string;
    ExpressionAttributeNames: Record<string, string>;
    ExpressionAttributeValues: Record<string, unknown>;
    ExclusiveStartKey: Record<string, unknown> | undefined;
  }): Promise<{
    Items?: Record<string, unknown>[] | undefined;
    LastEvaluatedKey?: Record<string, unknown> | undefined;
  }>;
}

interface Condition {
  ConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
}

/**
 * A DynamoDB table with the partition key `key`. Set its time to live to the attribute `expiresAt`, in seconds. DynamoDB
 * deletes items up to days late, so each condition checks `endsAt`, in milliseconds, by the clock of this machine.
 */
export function dynamoDb(
  documents: DynamoDbDocuments,
  TableName: string,
  now: () => number = Date.now,
): KeyValueService {
  const item = (key: string, value: string, ttl: number) => {
    const endsAt = now() + ttl;
    return { TableName, Item: { key, value, endsAt, expiresAt: Math.ceil(endsAt / 1_000) } };
  };
  // `key` and `value` are reserved words, or can become reserved. Names with # never do.
  const isMine = (expected: string) => ({
    ConditionExpression: '#value = :expected AND #endsAt > :now',
    ExpressionAttributeNames: { '#value': 'value', '#endsAt': 'endsAt' },
    ExpressionAttributeValues: { ':expected': expected, ':now': now() },
  });
  return {
    async get(key) {
      const { Item } = await documents.get({ TableName, Key: { key }, ConsistentRead: true });
      return Item !== undefined && Number(Item.endsAt) > now() ? String(Item.value) : undefined;
    },
    set: (key, value, ttl) => documents.put(item(key, value, ttl)),
    setIfAbsent: (key, value, ttl) =>
      wasMet(
        documents.put({
          ...item(key, value, ttl),
          ConditionExpression: 'attribute_not_exists(#key) OR #endsAt <= :now',
          ExpressionAttributeNames: { '#key': 'key', '#endsAt': 'endsAt' },
          ExpressionAttributeValues: { ':now': now() },
        }),
      ),
    replaceIfEqual: (key, expected, value, ttl) =>
      wasMet(documents.put({ ...item(key, value, ttl), ...isMine(expected) })),
    deleteIfEqual: (key, expected) =>
      wasMet(documents.delete({ TableName, Key: { key }, ...isMine(expected) })),
    /** Optional: it finds the sends whose outcome is unknown. It reads the whole table, a megabyte at a time. */
    async *list(keyPrefix, valuePrefix) {
      let ExclusiveStartKey: Record<string, unknown> | undefined;
      do {
        const { Items = [], LastEvaluatedKey } = await documents.scan({
          TableName,
          ConsistentRead: true,
          FilterExpression: '#endsAt > :now',
          ExpressionAttributeNames: { '#endsAt': 'endsAt' },
          ExpressionAttributeValues: { ':now': now() },
          ExclusiveStartKey,
        });
        for (const { key, value } of Items.map((item) => ({ key: `${item.key}`, value: `${item.value}` })))
          if (key.startsWith(keyPrefix) && value.startsWith(valuePrefix)) yield { key, value };
        ExclusiveStartKey = LastEvaluatedKey;
      } while (ExclusiveStartKey !== undefined);
    },
  };
}

/** Whether the condition of a write held. Any other failure is unknown, so it is thrown. */
async function wasMet(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    const name: unknown =
      typeof error === 'object' && error !== null ? Reflect.get(error, 'name') : undefined;
    if (name === 'ConditionalCheckFailedException') return false;
    throw error;
  }
}
