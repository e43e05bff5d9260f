-- One attempt in twenty is recorded under the next number but one.
create function :schema.planted_fault() returns trigger language plpgsql as $$
declare
  place int := cardinality(new.attempts);
begin
  new.attempts[place] := jsonb_set(new.attempts[place]::jsonb, '{number}', to_jsonb(place + 1))::json;
  return new;
end
$$;
create trigger planted_fault before update on :schema.deliveries
for each row when (
  cardinality(new.attempts) > cardinality(old.attempts) and random() < 0.05
) execute function :schema.planted_fault();
