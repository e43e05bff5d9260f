-- One in twenty deliveries whose attempt failed counts as delivered.
create function :schema.planted_fault() returns trigger language plpgsql as $$
begin
  if random() < 0.05 then
    new.status := 'delivered';
    new.due_at := null;
  end if;
  return new;
end
$$;
create trigger planted_fault before update on :schema.deliveries
for each row when (
  new.status = 'pending' and cardinality(new.attempts) > cardinality(old.attempts)
) execute function :schema.planted_fault();
